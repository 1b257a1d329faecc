quern_test_library(fake_vulkan SOURCE tests/vulkan/fake_vulkan.cpp AREAS vulkan loss cli)
