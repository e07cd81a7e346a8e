package reference

import "unsafe"

func bytesPointer(bytes []byte) unsafe.Pointer { return unsafe.Pointer(&bytes[0]) }
