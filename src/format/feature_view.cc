#include "format/feature_view.h"

#include "format/feature_reader.h"

namespace weir {

FeatureOutcome locate_values(WireCursor feature, FeatureType type, FeatureView& values,
                             FeatureType& found_type) {
  return visit_type(type, [&]<class T>() {
    CountedValues<T> counted;
    const FeatureOutcome outcome = read_feature<T>(feature, type, counted, found_type);
    if (outcome == FeatureOutcome::ok) values = {feature.data(), feature.size(), counted.found};
    return outcome;
  });
}

void decode_values(const FeatureView& values, FeatureType type, void* out) {
  visit_type(type, [&]<class T>() {
    DecodedValues<T> decoded{static_cast<T*>(out), values.count};
    FeatureType found_type;
    read_feature<T>({values.data, values.size}, type, decoded, found_type);
  });
}

}  // namespace weir
