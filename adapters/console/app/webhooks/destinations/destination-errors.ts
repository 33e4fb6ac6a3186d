import { AlcoveApiError } from '../../api/api.js'
import { useServerSentence } from '../../api/server-sentences.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { WEBHOOK_SENTENCES } from '../webhook-sentences.js'

const TEXTS = phrases({
  en: {
    refused:
      'Alcove does not contact this address. Use a public HTTPS address, or have the operator allow it: "alcove serve --webhook-allow ADDRESS".',
    exists: 'The company has a destination with this URL already. Change that one, or use another URL.',
    noTypes: 'Choose at least one event.',
  },
  de: {
    refused:
      'Diese Adresse spricht Alcove nicht an. Nimm eine öffentliche HTTPS-Adresse oder lass den Betreiber sie erlauben: „alcove serve --webhook-allow ADRESSE“.',
    exists: 'Die Firma hat schon ein Ziel mit dieser URL. Ändere jenes oder nimm eine andere URL.',
    noTypes: 'Wähle mindestens ein Ereignis.',
  },
})

/** The sentences of an error at the fields that caused it. */
interface DestinationErrors {
  readonly url?: string
  readonly name?: string
  readonly eventTypes?: string
  /** The error, if no field caused it. */
  readonly rest?: unknown
}

/** A function that brings an error of a destination's form to its field. */
export function useDestinationErrors(): (error: unknown) => DestinationErrors {
  const texts = useTexts(TEXTS)
  const say = useServerSentence(WEBHOOK_SENTENCES)
  return (error) => {
    if (error == null) return {}
    if (!(error instanceof AlcoveApiError)) return { rest: error }
    if (error.code === 'ERR_DESTINATION_REFUSED') {
      return { url: `${texts.refused} (${say(withoutField(error.message)).text})` }
    }
    if (error.code === 'ERR_ALREADY_EXISTS') return { url: texts.exists }
    if (error.code !== 'ERR_INVALID_INPUT') return { rest: error }
    const [, field] = /^(url|name|eventTypes)\b/.exec(error.message) ?? []
    if (field === 'url') return { url: say(withoutField(error.message)).text }
    if (field === 'name') return { name: say(withoutField(error.message)).text }
    // The server's sentence about no type explains null too, which is the other choice of the form.
    if (field === 'eventTypes' && error.message.includes('at least one')) return { eventTypes: texts.noTypes }
    return { rest: error }
  }
}

function withoutField(message: string): string {
  return message.replace(/^\w+: /, '')
}
