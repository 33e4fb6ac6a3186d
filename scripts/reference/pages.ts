/** The files that are generated, by their place in the repository. */
import { cliPage } from './cli-page.js'
import { errorsPage } from './errors-page.js'
import { publicTypes } from './public-types.js'
import { restPage } from './rest-page.js'

export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'docs/reference/cli.md': cliPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/rest.md': restPage,
  'test/docs/public-types.txt': publicTypes,
}
