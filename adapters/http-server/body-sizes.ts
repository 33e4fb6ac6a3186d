/** The most bytes of a JSON body with long texts. */
export const LARGE_BODY_BYTES = 2_000_000
/** The most bytes of other JSON bodies and of forms: several times the size of their fields. */
export const SMALL_BODY_BYTES = 16_384
