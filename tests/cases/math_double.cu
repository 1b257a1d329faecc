// The math library in double precision.

//! run roots(3, f64[4])
//! out ~4e-16 = 1.7320508075688772 0.5773502691896257 1.4422495703074083 0.6933612743506347
__global__ void roots(double x, double* out) {
  out[0] = sqrt(x);
  out[1] = rsqrt(x);
  out[2] = cbrt(x);
  out[3] = rcbrt(x);
}

//! run exponentials(1.25, f64[4])
//! out ~1e-11 = 3.49034295746 2.37841423001 17.7827941004 2.49034295746
__global__ void exponentials(double x, double* out) {
  out[0] = exp(x);
  out[1] = exp2(x);
  out[2] = exp10(x);
  out[3] = expm1(x);
}

//! run logarithms(7, f64[4])
//! out ~1e-11 = 1.94591014906 2.80735492206 0.845098040014 2.07944154168
__global__ void logarithms(double x, double* out) {
  out[0] = log(x);
  out[1] = log2(x);
  out[2] = log10(x);
  out[3] = log1p(x);
}

//! run trigonometry(10.5, f64[6])
//! out ~1e-11 = -0.879695759972 -0.475536927996 1.84989999342 0.252680255142 1.31811607165 1.47584462045
__global__ void trigonometry(double x, double* out) {
  out[0] = sin(x);
  out[1] = cos(x);
  out[2] = tan(x);
  out[3] = asin(0.25);
  out[4] = acos(0.25);
  out[5] = atan(x);
}

//! run hyperbolic(2.25, f64[6])
//! out ~1e-11 = 4.6911683059 4.79656753046 0.978026114739 1.55015795687 1.45057451382 0.255412811883
__global__ void hyperbolic(double x, double* out) {
  out[0] = sinh(x);
  out[1] = cosh(x);
  out[2] = tanh(x);
  out[3] = asinh(x);
  out[4] = acosh(x);
  out[5] = atanh(x - 2);
}

//! run half_turns(f64[6])
//! out ~1e-11 = 1 0.382683432365 0.923879532511 -1 0.809016994375 0.587785252292
__global__ void half_turns(double* out) {
  out[0] = sinpi(2.5);
  out[1] = sinpi(0.125);
  out[2] = cospi(0.125);
  out[3] = cospi(3.0);
  sincospi(0.3, out + 4, out + 5);
}

//! run error_functions(0.3, f64[6])
//! out ~1e-11 = 0.328626759459 0.671373240541 0.272462714727 0.732869077959 0.734599334568 0.617911422189
__global__ void error_functions(double x, double* out) {
  out[0] = erf(x);
  out[1] = erfc(x);
  out[2] = erfinv(x);
  out[3] = erfcinv(x);
  out[4] = erfcx(x);
  out[5] = normcdf(x);
}

//! run far_tails(f64[3])
//! out ~1e-11 = 2.15197367125e-17 7.61985302416e-24 0.0187958888614
__global__ void far_tails(double* out) {
  out[0] = erfc(6.0);
  out[1] = normcdf(-10.0);
  out[2] = erfcx(30.0);
}

//! run quantiles(f64[3])
//! out ~1e-10 = 0 1.95996398454 -3.09023230617
__global__ void quantiles(double* out) {
  out[0] = normcdfinv(0.5);
  out[1] = normcdfinv(0.975);
  out[2] = normcdfinv(0.001);
}

//! run gamma_functions(f64[4])
//! out ~1e-11 = 1.77245385091 361.435540468 120 2.36327180121
__global__ void gamma_functions(double* out) {
  out[0] = tgamma(0.5);
  out[1] = lgamma(100.5);
  out[2] = tgamma(6.0);
  out[3] = tgamma(-1.5);
}

//! run bessel_first_kind(f64[4])
//! out ~1e-10 = -0.177596771314 -0.327579137591 0.396716789073 0.000776553187533
__global__ void bessel_first_kind(double* out) {
  out[0] = j0(5.0);
  out[1] = j1(5.0);
  out[2] = jn(4, 5.5);
  out[3] = jn(7, 2.5);
}

//! run bessel_second_kind(f64[3])
//! out ~1e-10 = -0.308517625249 0.147863143391 -0.0424375478454
__global__ void bessel_second_kind(double* out) {
  out[0] = y0(5.0);
  out[1] = y1(5.0);
  out[2] = yn(4, 5.5);
}

//! run modified_bessel(f64[4])
//! out ~1e-11 = 1.64672318977 0.981666428578 1.48947747934e+16 -1.47073961633e+16
__global__ void modified_bessel(double* out) {
  out[0] = cyl_bessel_i0(1.5);
  out[1] = cyl_bessel_i1(1.5);
  out[2] = cyl_bessel_i0(40.0);
  out[3] = cyl_bessel_i1(-40.0);
}

//! run rounding(-0.5, f64[6])
//! out = -1 -0 -0 -1 -0 -0
__global__ void rounding(double x, double* out) {
  out[0] = floor(x);
  out[1] = ceil(x);
  out[2] = trunc(x);
  out[3] = round(x);
  out[4] = rint(x);
  out[5] = nearbyint(x);
}

//! run rounding_to_integers(i64[4])
//! out = 2251799813685249 -2 2 3
__global__ void rounding_to_integers(long long* out) {
  out[0] = llround(2251799813685248.5);
  out[1] = lrint(-2.5);
  out[2] = llrint(1.5);
  out[3] = lround(2.5);
}

//! run powers(f64[5])
//! out ~4e-16 = 1e+15 1.4142135623730951 -0.125 0 1
__global__ void powers(double* out) {
  out[0] = pow(10.0, 15.0);
  out[1] = pow(2.0, 0.5);
  out[2] = pow(-2.0, -3.0);
  out[3] = pow(0.5, 5000.0);
  out[4] = pow(1.0, nan(""));
}

//! run integer_power(f64[3])
//! out = 125 0.0625 -27
__global__ void integer_power(double* out) {
  int n = 3;
  out[0] = pow(5.0, n);
  out[1] = pow(2.0, -4);
  out[2] = pow(-3.0, n);
}

//! run integer_arguments(2, f64[4])
//! out ~1e-11 = 1.41421356237 7.38905609893 0.909297426826 0.69314718056
__global__ void integer_arguments(int n, double* out) {
  static_assert(sizeof(sqrt(n)) == 8, "an integer counts as double");
  out[0] = sqrt(n);
  out[1] = exp(n);
  out[2] = sin(n);
  out[3] = log(n);
}

//! run norms(f64[5])
//! out = 500 13 10 0.2 3
__global__ void norms(double* out) {
  out[0] = hypot(0x1.2cp+508, 0x1.9p+508) * 0x1p-500;
  out[1] = norm3d(3.0, 4.0, 12.0);
  out[2] = norm4d(1.0, 3.0, 3.0, 9.0);
  out[3] = rhypot(3.0, 4.0);
  double v[3] = {1, 2, 2};
  out[4] = norm(3, v);
}

//! run remainders(f64[4], i32[1])
//! out = 0.5 -0.5 -1 -0.75
//! quotient = 3
__global__ void remainders(double* out, int* quotient) {
  out[0] = fmod(5.0, 1.5);
  out[1] = fmod(-5.0, 1.5);
  out[2] = remainder(11.0, 3.0);
  out[3] = remquo(8.25, 3.0, quotient);
}

//! run parts(f64[4], i32[2])
//! out = 0.625 0.25 6 -6.25
//! exponents = 4 1023
__global__ void parts(double* out, int* exponents) {
  int e;
  out[0] = frexp(10.0, &e);
  exponents[0] = e;
  out[1] = modf(6.25, &out[2]);
  exponents[1] = ilogb(1.7e308);
  out[3] = copysign(6.25, -1.0);
}

//! run scaling(f64[4])
//! out = 1.5e-323 -48 3 1.2676506002282294e+30
__global__ void scaling(double* out) {
  out[0] = ldexp(3.0, -1074);
  out[1] = scalbn(-3.0, 4);
  out[2] = logb(12.0);
  out[3] = scalbln(1.0, 100L);
}

//! run fused(f64[2])
//! out = 4.930380657631324e-32 0
__global__ void fused(double* out) {
  double a = 1.0 + 0x1p-52;
  double square = a * a;
  out[0] = fma(a, a, -square);
  out[1] = a * a - square;
}

//! run extremes(f64[5])
//! out = -2 3 4 4 2
__global__ void extremes(double* out) {
  double missing = nan("");
  out[0] = fmin(-2.0, 3.0);
  out[1] = fmax(-2.0, 3.0);
  out[2] = fmin(missing, 4.0);
  out[3] = fmax(4.0, missing);
  out[4] = fdim(5.0, 3.0);
}

//! run neighbours(u64[3])
//! out = 4607182418800017409 4607182418800017407 1
__global__ void neighbours(unsigned long long* out) {
  out[0] = __double_as_longlong(nextafter(1.0, 2.0));
  out[1] = __double_as_longlong(nextafter(1.0, 0.0));
  out[2] = __double_as_longlong(nextafter(0.0, 1.0));
}

//! run mixed_float_and_double(f64[3])
//! out = 0.25 8 2.5
__global__ void mixed_float_and_double(double* out) {
  float f = 0.5f;
  out[0] = pow(f, 2.0);
  static_assert(sizeof(pow(f, 2.0)) == 8, "float with double is double");
  out[1] = fmax(f, 8.0);
  out[2] = min(2.5, 3.0f);
}

//! run sine_and_cosine(0.7, f64[2])
//! out ~1e-11 = 0.644217687238 0.764842187284
__global__ void sine_and_cosine(double x, double* out) {
  double s, c;
  sincos(x, &s, &c);
  out[0] = s;
  out[1] = c;
}

//! run standard_names(4, f64[5])
//! out = 2 4 64 3 0.5
__global__ void standard_names(double x, double* out) {
  out[0] = std::sqrt(x);
  out[1] = std::abs(-x);
  out[2] = std::pow(x, 3.0);
  out[3] = std::floor(3.75f);
  out[4] = std::fmod(4.5, 2.0);
}
