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
