quern_test_library(fake_webgpu SOURCE tests/webgpu/fake_webgpu.cpp AREAS webgpu cli)
