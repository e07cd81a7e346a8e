// Catch2 2 under the name that Catch2 3 gives this part of it.
#pragma once
#include <catch2/catch.hpp>
