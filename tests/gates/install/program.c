#include <stdio.h>
#include <weir/weir.h>

int main(void) {
  printf("%s\n", weir_version());
  return 0;
}
