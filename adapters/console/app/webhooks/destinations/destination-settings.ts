import { AlcoveApiError } from '../../api/api.js'
import { useFieldError } from '../../api/field-errors.js'
import { useReason } from '../../api/use-reason.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import type { Destination } from '../queries.js'

/** The settings that people change, by the names of the server. */
const SETTINGS = ['url', 'name', 'eventTypes', 'includeDescendants', 'retry', 'signatureScheme'] as const

export type SettingName = (typeof SETTINGS)[number]
export type DestinationSettings = Pick<Destination, SettingName>

/** The names of the settings in which two states differ. */
export function differingSettings(one: DestinationSettings, other: DestinationSettings): readonly SettingName[] {
  return SETTINGS.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
}

export function pickSettings(
  settings: DestinationSettings,
  names: readonly SettingName[],
): Partial<DestinationSettings> {
  return Object.fromEntries(names.map((name) => [name, settings[name]]))
}

interface Merged {
  /** The user's own changes, with the URL and the events, which the API always wants. */
  readonly body: Partial<DestinationSettings> & Pick<DestinationSettings, 'url' | 'eventTypes'>
  /** The settings that somebody else has changed too, to something else. */
  readonly conflicts: readonly SettingName[]
}

/**
 * Brings the changes of a user to the newest state, so that the changes of other users stay.
 *
 * @param base what the user began with
 */
export function mergeSettings(
  base: DestinationSettings,
  wanted: DestinationSettings,
  newest: DestinationSettings,
): Merged {
  const own = differingSettings(base, wanted)
  const others = differingSettings(base, newest)
  const differing = differingSettings(wanted, newest)
  return {
    body: { url: newest.url, eventTypes: newest.eventTypes, ...pickSettings(wanted, own) },
    conflicts: own.filter((name) => others.includes(name) && differing.includes(name)),
  }
}

const TEXTS = phrases({
  en: {
    refused:
      'Alcove does not contact this address. Use a public HTTPS address, or have the operator allow it: "alcove serve --webhook-allow ADDRESS".',
    exists: 'The company has a destination with this URL already. Change that one, or use another URL.',
  },
  de: {
    refused:
      'Diese Adresse spricht Alcove nicht an. Nimm eine öffentliche HTTPS-Adresse oder lass den Betreiber sie erlauben: „alcove serve --webhook-allow ADRESSE“.',
    exists: 'Die Firma hat schon ein Ziel mit dieser URL. Ändere jenes oder nimm eine andere URL.',
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
  const fieldError = useFieldError()
  const say = useReason()
  return (error) => {
    if (error == null) return {}
    if (!(error instanceof AlcoveApiError)) return { rest: error }
    if (error.code === 'ERR_DESTINATION_REFUSED') {
      return { url: `${texts.refused} (${say(error.reason, error.message).text})` }
    }
    if (error.code === 'ERR_ALREADY_EXISTS') return { url: texts.exists }
    // The form offers no type that the server does not know.
    const isWithoutType = error.reason?.code === 'no-event-type'
    const wrong = fieldError(error, ['url', 'name', ...(isWithoutType ? ['eventTypes'] : [])])
    return wrong === undefined ? { rest: error } : { [wrong.field]: wrong.text }
  }
}
