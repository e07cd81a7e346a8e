/* dlpack.h: the part of DLPack's ABI, version 1.x, that weir.h exchanges tensors with.
 *
 * The declarations are compatible with those of <dlpack/dlpack.h> (https://github.com/dmlc/dlpack, Copyright
 * 2017 by its contributors, Apache License 2.0) and share its include guard, so that a program may include
 * both, in any order: the first one counts. A tensor is released by calling its deleter once, on any thread.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef int32_t DLDeviceType;
#define kDLCPU ((DLDeviceType)1)
#define kDLCUDA ((DLDeviceType)2)

typedef struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

#define kDLInt 0U
#define kDLUInt 1U
#define kDLFloat 2U
#define kDLOpaqueHandle 3U
#define kDLBfloat 4U
#define kDLComplex 5U
#define kDLBool 6U

typedef struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in entries; NULL: row-major */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
