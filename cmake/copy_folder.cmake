# Copies the folder FROM to TO, if it exists: cmake -DFROM=… -DTO=… -P copy_folder.cmake
if(EXISTS "${FROM}")
  file(REMOVE_RECURSE "${TO}")
  file(COPY "${FROM}/" DESTINATION "${TO}")
endif()
