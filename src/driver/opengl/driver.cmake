quern_driver(opengl USES quern_target)
# Mesa's software OpenGL calls setenv().
quern_driver_entry(opengl FOREIGN CHANGES_ENVIRONMENT)
quern_driver_entry(opengl NAME gles MAKE opengl::make_es_driver FOREIGN CHANGES_ENVIRONMENT)
quern_driver_entry(opengl NAME webgl2 MAKE opengl::make_webgl_driver)
quern_small(*.cpp)
