quern_driver(native)
quern_driver_entry(native)
