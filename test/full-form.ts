/** Whether tests take their full size, which takes minutes more: `npm run test:full`. */
export const IS_FULL_FORM: boolean = process.env['ALCOVE_FULL'] === '1'

/** What a test is large by: in each run, and in the full form. */
export function sized(short: number, full: number): number {
  return IS_FULL_FORM ? full : short
}
