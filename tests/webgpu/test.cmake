quern_plain_cpu(${test})
quern_with_webgpu(${test})
