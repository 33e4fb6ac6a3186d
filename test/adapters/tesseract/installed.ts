import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** The optional packages of text recognition that are not installed. The tests that need them are then left out. */
export const MISSING: readonly string[] = [
  'tesseract.js',
  ...['eng', 'deu', 'osd'].map((code) => `@tesseract.js-data/${code}`),
].filter((name) => {
  try {
    resolve(`${name}/package.json`)
    return false
  } catch {
    return true
  }
})

/** The end of a title, which says why the tests below it are left out. */
export const LEFT_OUT: string = MISSING.length === 0 ? '' : ` (left out: ${MISSING.join(', ')} not installed)`
