/** True when tests run at full size, which takes minutes longer: `npm run test:full`. */
export const IS_FULL_FORM: boolean = process.env['ALCOVE_FULL'] === '1'

/** The size of a test: the first in normal runs, the second at full size. */
export function sized(short: number, full: number): number {
  return IS_FULL_FORM ? full : short
}
