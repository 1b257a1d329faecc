quern_test_library(fake_vendor SOURCE tests/vendor/fake_vendor.cpp AREAS vendor cli)
quern_test_library(old_vendor SOURCE tests/vendor/old_vendor.cpp AREAS vendor)
