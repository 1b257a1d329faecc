quern_plain_cpu(${test})
