// What the simulator's tests include.
#include "pch-ptxsim.h"
#include "gtest/gtest.h"
