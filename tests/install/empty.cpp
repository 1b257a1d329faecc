// Links the library and opens nothing.
#include <quern/quern.hpp>

int main(int argc, char**) { return argc > 1000 ? static_cast<int>(quern::devices().size()) : 0; }
