import { InvalidInputError } from '../../shared/errors.js'

const PLACE = '{token}'
const DEFAULT_SETUP_URL = `http://127.0.0.1:8787/auth/setup?token=${PLACE}`

/** @throws InvalidInputError for a template without a place for the token, or that is no address */
export function checkSetupUrl(template: string): void {
  const filled = template.replaceAll(PLACE, 'token')
  if (!template.includes(PLACE) || !URL.canParse(filled) || !/^https?:/i.test(filled)) {
    throw new InvalidInputError('setupUrl', `must be a web address with ${PLACE} in it, such as ${DEFAULT_SETUP_URL}`)
  }
}

export function fillSetupUrl(template: string | (() => string) = DEFAULT_SETUP_URL, token: string): string {
  return (typeof template === 'string' ? template : template()).replaceAll(PLACE, token)
}
