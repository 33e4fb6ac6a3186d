import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { AlcoveApiError } from '../../../adapters/client/index.js'
import { useErrorText, useSaidError } from '../../../adapters/console/app/api/error-texts.js'
import type { Reason } from '../../../adapters/console/app/api/reason-texts.js'
import { LanguageContext } from '../../../adapters/console/app/texts/phrases.js'

/** The page has the types of browsers, which a test does not have: they are stated here. */
const DOCUMENT_TEXTS: string = '../../../adapters/console/app/documents/error-texts.js'
const { useDocumentErrorText } = (await import(DOCUMENT_TEXTS)) as {
  readonly useDocumentErrorText: () => { readonly errorText: (error: unknown) => string }
}

const LIMIT = { code: 'limit-of-documents', parameters: { context: 7, held: 1_000, max: 1_000 } } as const
const DISABLED = { code: 'destination-disabled', parameters: { destination: 5 } } as const

describe('an error, as the console says it in German,', () => {
  it('of a GPT without room for another document names the GPT and the limit', () => {
    const { errorText } = inGerman(useDocumentErrorText)
    expect(errorText(refusal('ERR_LIMIT_REACHED', LIMIT))).toBe(
      'Mehr Dokumente sind hier nicht möglich. Lösche welche, oder bitte den Betreiber um eine höhere Grenze. ' +
        '(Anzahl der Dokumente im GPT 7: 1.000. Die Grenze ist 1.000.)',
    )
    expect(errorText(refusal('ERR_LIMIT_REACHED'))).toMatch(/eine höhere Grenze\.$/)
  })

  it('of a disabled destination says only to enable it', () => {
    const error = refusal('ERR_INVALID_INPUT', DISABLED)
    const text = 'Das Ziel 5 ist deaktiviert. Aktiviere es zuerst.'
    expect(inGerman(useSaidError)(error)).toEqual({ text })
    expect(inGerman(useErrorText)(error)).toBe(text)
  })

  it('of the host has the sentence of the host, which is no German one', () => {
    const parameters = { message: 'ask the office' }
    const said = inGerman(useSaidError)(refusal('ERR_FORBIDDEN', { code: 'refused-by-host', parameters }))
    expect([said.reason, said.detail, said.isDetailNeeded]).toEqual([undefined, 'Ask the office.', true])
  })

  it('with a reason without parameters is said too', () => {
    const reason = { code: 'host-only' } as Reason
    expect(inGerman(useSaidError)(refusal('ERR_FORBIDDEN', reason)).reason).toBe(
      'Das darf nur die Anwendung, die Alcove einbindet.',
    )
  })
})

function refusal(code: string, reason?: Reason): AlcoveApiError {
  return new AlcoveApiError({ status: 409, code, detail: 'ask the office', ...(reason !== undefined && { reason }) })
}

/** The value of a hook on a page in German. */
function inGerman<Value>(useValue: () => Value): Value {
  const values: Value[] = []
  const Page = (): null => {
    values.push(useValue())
    return null
  }
  const choice = { language: 'de', choose: () => undefined } as const
  renderToString(createElement(LanguageContext, { value: choice }, createElement(Page)))
  const [value] = values
  if (value === undefined) throw new Error('the hook gave no value')
  return value
}
