# The template for new drivers. It has no entry in the table of drivers.
quern_driver(null)
