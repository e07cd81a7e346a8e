#include <weir/weir.h>

#include <cstring>

int main() { return std::strlen(weir_version()) > 0 ? 0 : 1; }
