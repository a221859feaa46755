/* Roots, exponentials and logarithms of twofold numbers against values of 90
 * digits, made by Python's decimal module, and against their identities. */
#include "core/random.h"
#include "core/twofold_math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum function { EXP, EXPM1, LOG, LOG1P, SQRT };

static const struct {
    enum function function;
    struct nb_twofold x, value;
} rows[] = {
    { EXP,
      { 0x1.f767c482c9b00p-3, 0x1.e6de111827d41p-58 },
      { 0x1.47557c4281ce8p+0, 0x1.5b48e9e907d07p-54 } },
    { EXP,
      { 0x1.2e4738d8608fep-1, 0x1.0b7c7505560fbp-55 },
      { 0x1.cdfff672c3586p+0, -0x1.a04980a0edfe2p-55 } },
    { EXP,
      { 0x1.eb4ff1a6eb8c8p-2, 0x1.9efca674e70bcp-56 },
      { 0x1.9da191f15a677p+0, 0x1.299f43bbcffa9p-57 } },
    { EXP,
      { -0x1.e24c74146f792p-1, 0x1.0948487cdb83cp-58 },
      { 0x1.8f35370f4c061p-2, -0x1.7ddac6378c26bp-56 } },
    { EXP,
      { 0x1.353782946a2c4p+9, 0x1.7086056844231p-47 },
      { 0x1.285b6566231dep+892, -0x1.e8d25a9e319eep+838 } },
    { EXP,
      { 0x1.16a5fa881ddacp+9, -0x1.af1e3ad590820p-46 },
      { 0x1.01a31f90407dcp+804, -0x1.802d5de7bc98cp+750 } },
    { EXP,
      { -0x1.02298b7eb8220p+6, 0x1.05b38b6d0391ap-49 },
      { 0x1.d9a312fced3ebp-94, -0x1.b4935d56083dbp-148 } },
    { EXP,
      { 0x1.58200672d7d80p+5, 0x1.971ecbcb258ecp-52 },
      { 0x1.0a9583cb529c6p+62, 0x1.e03f85e4c4dc5p+6 } },
    { EXP, { 0, 0 }, { 0x1.0000000000000p+0, 0 } },
    { EXP,
      { 0x1.0000000000000p+0, 0 },
      { 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53 } },
    { EXP,
      { -0x1.79ca10c924223p-67, 0 },
      { 0x1.0000000000000p+0, -0x1.79ca10c924223p-67 } },
    { EXP,
      { 0x1.62e42fefa39efp-2, 0x1.70ef54646d497p-57 },
      { 0x1.6a09e667f3bcdp+0, -0x1.c83aabe4ce231p-54 } },
    { EXPM1,
      { 0x1.9a8d114649b14p-40, -0x1.2dab609a20d50p-96 },
      { 0x1.9a8d11464afa7p-40, 0x1.736e9b33c246bp-95 } },
    { EXPM1,
      { -0x1.9f1f3335b5288p-33, 0x1.1a9c89a57c5b9p-87 },
      { -0x1.9f1f33350cdefp-33, -0x1.40ad5c9ec1de8p-90 } },
    { EXPM1,
      { 0x1.2dd8ea2099917p-7, 0x1.1cc40007e174bp-63 },
      { 0x1.2f3dea579cc86p-7, 0x1.03dfdc04550d0p-63 } },
    { EXPM1,
      { 0x1.8640b2b991872p-22, -0x1.84de10623ad13p-76 },
      { 0x1.8640b75f63f26p-22, -0x1.4b4d8d11fa744p-76 } },
    { EXPM1,
      { 0x1.3fd47db9a4de7p-4, 0x1.5e0391cfefd92p-59 },
      { 0x1.4ca5f17fd7558p-4, -0x1.2f17db6098480p-59 } },
    { EXPM1,
      { 0x1.00f02f7432596p+0, 0x1.7ebe3fb4581b4p-55 },
      { 0x1.ba6f68446e843p+0, 0x1.f5bec17c3988dp-54 } },
    { EXPM1,
      { -0x1.5933d1595d3c7p-3, -0x1.3e9b4c28361fcp-57 },
      { -0x1.3dad6cc744817p-3, -0x1.e040fdbb5e89cp-58 } },
    { EXPM1,
      { 0x1.010e0f9a84418p-5, 0x1.6db295f6fb0aep-61 },
      { 0x1.052166ee2312ap-5, -0x1.62f0df7c294fap-60 } },
    { EXPM1,
      { -0x1.e3b0724131bb0p-3, -0x1.aa9737e51150dp-57 },
      { -0x1.aed0804c4652cp-3, -0x1.b667755fb8570p-57 } },
    { EXPM1,
      { 0x1.3859068eb8880p-3, 0x1.2375ebfecd281p-57 },
      { 0x1.516cc5b129b75p-3, -0x1.5dd80068f802fp-58 } },
    { EXPM1,
      { 0x1.62d0e56041893p-2, 0 },
      { 0x1.a80c51b3dbab4p-2, -0x1.d74b6e597eccbp-56 } },
    { EXPM1,
      { -0x1.62eb1c432ca58p-2, 0 },
      { -0x1.2bf1186530eb9p-2, 0x1.20c67cd56aaf5p-57 } },
    { EXPM1,
      { 0x1.e000000000000p+4, 0x1.cd2b297d889bcp-54 },
      { 0x1.370470aec26edp+43, 0x1.54ccfe43296e2p-12 } },
    { EXPM1,
      { -0x1.9000000000000p+5, 0 },
      { -0x1.0000000000000p+0, 0x1.d257d547e083fp-73 } },
    { LOG,
      { 0x1.011e3aa7d63afp+1, -0x1.9de14e5f45502p-55 },
      { 0x1.651f6625f7ce8p-1, 0x1.4db8f50b9c12bp-55 } },
    { LOG,
      { 0x1.0cd619317fa60p+0, -0x1.67366ba1f45f6p-55 },
      { 0x1.90cbc05ac697ap-5, 0x1.67c3119a167d8p-59 } },
    { LOG,
      { 0x1.53143177fdbb0p-1, -0x1.26e7648828a29p-55 },
      { -0x1.a5fb68a54117bp-2, 0x1.96273cf2a3fc8p-58 } },
    { LOG,
      { 0x1.e288550490842p-1, 0x1.8e080c4b24290p-57 },
      { -0x1.e5974ef6cc8e9p-5, -0x1.a2efc6d905c54p-61 } },
    { LOG,
      { 0x1.9fd5f4bc83780p-2, 0x1.27f7381648c6dp-57 },
      { -0x1.cd67a697646c9p-1, 0x1.8c78b5d549c06p-55 } },
    { LOG,
      { 0x1.deb69dfa4deb6p-324, -0x1.14fb1f27e6ed4p-379 },
      { -0x1.bfe8537d07bd1p+7, -0x1.a77a50ad04e07p-48 } },
    { LOG,
      { 0x1.5f13ff562034ep-387, -0x1.baad471f6cf18p-442 },
      { -0x1.0bee9fe9a19dcp+8, -0x1.d0f14c382b63bp-46 } },
    { LOG,
      { 0x1.3389e0d0e02b4p-55, -0x1.107a8694e3abap-109 },
      { -0x1.2f8472a782e90p+5, 0x1.a3e8e35be4876p-49 } },
    { LOG,
      { 0x1.eddb9b7ca8314p+946, 0x1.bbb3bd76dc223p+892 },
      { 0x1.482fe929baf35p+9, 0x1.a1b474fcc3330p-45 } },
    { LOG,
      { 0x1.330abfb81db56p-284, -0x1.27f26ed9bb575p-338 },
      { -0x1.89580f5d251f2p+7, -0x1.61dabab29754dp-47 } },
    { LOG,
      { 0x1.0000000000000p+0, 0x1.0000000000000p-60 },
      { 0x1.0000000000000p-60, -0x1.0000000000000p-121 } },
    { LOG,
      { 0x1.0000000000000p+0, -0x1.0000000000000p-100 },
      { -0x1.0000000000000p-100, -0x1.0000000000000p-201 } },
    { LOG,
      { 0x1.8000000000000p-1, 0 },
      { -0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56 } },
    { LOG,
      { 0x1.7ffffffffffffp+0, 0 },
      { 0x1.9f323ecbf9849p-2, 0x1.202f8b2f12566p-56 } },
    { LOG1P,
      { -0x1.4c565c82e6db0p-12, 0x1.48b5065b5d97cp-68 },
      { -0x1.4c63d8be8d371p-12, -0x1.7daa94fd65d86p-66 } },
    { LOG1P,
      { -0x1.f5d4cdd2fe0cap-10, 0x1.c6eed9929dabcp-64 },
      { -0x1.f64fed624d4e1p-10, -0x1.7dc63e452df99p-65 } },
    { LOG1P,
      { 0x1.ed167dc719ccbp-42, -0x1.77b671cc78eedp-96 },
      { 0x1.ed167dc71955fp-42, 0x1.166c7123f053fp-97 } },
    { LOG1P,
      { -0x1.13945b9b78ceep-38, 0x1.5714dc3d92561p-94 },
      { -0x1.13945b9b7b203p-38, 0x1.3180b16655702p-94 } },
    { LOG1P,
      { -0x1.4cd227c73da4ap-33, -0x1.6ee7e22f107d3p-88 },
      { -0x1.4cd227c7a9d11p-33, -0x1.e54170e610b3dp-88 } },
    { LOG1P,
      { -0x1.5488f0cc62225p-45, -0x1.e9f4338311d5ep-100 },
      { -0x1.5488f0cc62296p-45, -0x1.f102f961e8c6fp-99 } },
    { LOG1P,
      { -0x1.83a7708d876dfp-1, -0x1.59a1ebcf01dc8p-55 },
      { -0x1.6a4e4a4e43334p+0, 0x1.b878736b2b3d0p-54 } },
    { LOG1P,
      { -0x1.16bb67725ccffp-1, 0x1.6320300370692p-57 },
      { -0x1.9280867acdbe5p-1, -0x1.92cb9b8d184cfp-55 } },
    { LOG1P,
      { 0x1.7b73413a0e3fcp+0, 0x1.3d495af3bd5bbp-54 },
      { 0x1.d17cef4d3a8abp-1, 0x1.67ce698d023afp-56 } },
    { LOG1P,
      { 0x1.b40ff73004842p-2, 0x1.71f4073181632p-56 },
      { 0x1.6b46e4b500b84p-2, -0x1.de6190d5b2ec3p-57 } },
    { LOG1P,
      { 0x1.3692a48228cecp+543, 0x1.ce0c269ffcf0bp+487 },
      { 0x1.7892791406923p+8, -0x1.884bdc13c3becp-46 } },
    { LOG1P,
      { 0x1.16e05d60dcb1dp+305, 0x1.1ae7b59df5f9dp+249 },
      { 0x1.a6fdafbc8cf45p+7, -0x1.ef70b5c5c7f1ep-47 } },
    { LOG1P,
      { -0x1.0000000000000p-2, 0 },
      { -0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56 } },
    { LOG1P,
      { 0x1.0000000000000p-1, 0 },
      { 0x1.9f323ecbf984cp-2, -0x1.a92e513217f5cp-59 } },
    { SQRT,
      { 0x1.3a984c8a9ddb7p+367, 0x1.38891418d4831p+313 },
      { 0x1.9156a875581b5p+183, -0x1.7c678a8eb6574p+129 } },
    { SQRT,
      { 0x1.c1a27607bc0bep-563, -0x1.78d4d4716705fp-617 },
      { 0x1.dfce1a38fcb61p-282, 0x1.05a521bde4bd8p-336 } },
    { SQRT,
      { 0x1.20f591019321bp+167, -0x1.0e90edf532888p+113 },
      { 0x1.80a3932a2355ap+83, 0x1.14aff536dc250p+29 } },
    { SQRT,
      { 0x1.79277bd3a9444p+399, 0x1.ec41435e021aap+344 },
      { 0x1.b76f50d6a1c99p+199, 0x1.9958a0a8f2ce5p+145 } },
    { SQRT,
      { 0x1.48dc0812ff9fdp-74, -0x1.d2272e6a9efb3p-129 },
      { 0x1.2226d85af2a8bp-37, -0x1.61f68ace7cd22p-92 } },
    { SQRT,
      { 0x1.0000000000000p+1, 0 },
      { 0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54 } },
    { SQRT, { 0x1.2000000000000p+3, 0 }, { 0x1.8000000000000p+1, 0 } },
};

static struct nb_twofold value_of(enum function function, struct nb_twofold x)
{
    switch (function) {
    case EXP:
        return nb_twofold_exp(x, 0);
    case EXPM1:
        return nb_twofold_expm1(x);
    case LOG:
        return nb_twofold_log(x);
    case LOG1P:
        return nb_twofold_log1p(x);
    default:
        return nb_twofold_sqrt(x);
    }
}

/* The difference relative to b; 0 if both are 0. */
static double off_by(struct nb_twofold a, struct nb_twofold b)
{
    const double off = nb_twofold_subtract(a, b).high;
    return off == 0 ? 0 : fabs(off / b.high);
}

static void values_have_their_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum function function = rows[i].function;
        const struct nb_twofold found = value_of(function, rows[i].x);
        const double more =
            function == EXP || (function == EXPM1 && rows[i].x.high > 1)
                ? fabs(rows[i].x.high) * NB_TWOFOLD_ERROR
                : 0;
        if (!(off_by(found, rows[i].value) <= NB_TWOFOLD_MATH_ERROR + more))
            fail_msg("function %d of %a: %a + %a, not %a + %a", (int)function,
                     rows[i].x.high, found.high, found.low, rows[i].value.high,
                     rows[i].value.low);
    }
}

/* ln e^x = x, ln(1 + (e^x - 1)) = x, sqrt(x)^2 = x. */
static void inverses_agree(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 1, 0);
    for (int trial = 0; trial < 20000; trial++) {
        const struct nb_twofold x =
            nb_twofold_join(1 + 600 * nb_random_unit(&random),
                            0x1p-54 * nb_random_unit(&random));
        const struct nb_twofold tiny =
            nb_twofold_shift(x, ldexp(1, -(int)nb_random_below(&random, 400)));
        const struct nb_twofold part =
            nb_twofold_divide(tiny, nb_twofold_add(tiny, nb_twofold_from(1)));
        const struct nb_twofold root = nb_twofold_sqrt(tiny);
        const double wide = 4 * NB_TWOFOLD_MATH_ERROR;
        if (!(off_by(nb_twofold_log(nb_twofold_exp(x, 0)), x) <= wide &&
              off_by(nb_twofold_log1p(nb_twofold_expm1(part)), part) <= wide &&
              off_by(nb_twofold_multiply(root, root), tiny) <= wide))
            fail_msg("trial %d: %a + %a", trial, x.high, x.low);
    }
}

/* Beyond the range: infinities, zeros; with a power, back in it. */
static void ranges_end(void **state)
{
    (void)state;
    assert_true(nb_twofold_exp(nb_twofold_from(800), 0).high == INFINITY);
    assert_true(nb_twofold_exp(nb_twofold_from(1e9), -1).high == INFINITY);
    assert_true(nb_twofold_exp(nb_twofold_from(-INFINITY), 9).high == 0);
    assert_true(nb_twofold_exp(nb_twofold_from(-1e9), 480).high == 0);
    assert_true(isnan(nb_twofold_exp(nb_twofold_from(NAN), 0).high));
    assert_true(nb_twofold_expm1(nb_twofold_from(-1e9)).high == -1);
    assert_true(nb_twofold_expm1(nb_twofold_from(1e9)).high == INFINITY);
    assert_true(nb_twofold_log(nb_twofold_from(0)).high == -INFINITY);
    assert_true(nb_twofold_log1p(nb_twofold_from(INFINITY)).high == INFINITY);
    assert_true(nb_twofold_sqrt(nb_twofold_from(0)).high == 0);
    const struct nb_twofold low = nb_twofold_exp(nb_twofold_from(-900), 400);
    const struct nb_twofold back = nb_twofold_subtract(
        nb_twofold_log(low),
        nb_twofold_times(nb_twofold_log(nb_twofold_from(2)), 400));
    assert_true(off_by(back, nb_twofold_from(-900)) < 0x1p-90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_their_error),
        cmocka_unit_test(inverses_agree),
        cmocka_unit_test(ranges_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
