import { useLanguage } from './phrases.js'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Texts for numbers, sizes and times in the language of the user. */
export interface Format {
  readonly number: (value: number, digits?: number) => string
  /** Such as `1.2 MB`. */
  readonly bytes: (bytes: number) => string
  readonly percent: (fraction: number) => string
  /** Date and time of an ISO 8601 text; a dash for none. */
  readonly time: (iso: string | null | undefined) => string
  /** Such as `in 3 hours` or `2 days ago`. */
  readonly relative: (iso: string) => string
  /** A length of time in its largest unit, such as `3 hours`. */
  readonly duration: (seconds: number) => string
}

export function useFormat(): Format {
  const { language } = useLanguage()
  return {
    number: (value, digits = 0) => new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value),
    bytes: (bytes) => {
      const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
      const style = {
        style: 'unit',
        unit: UNITS[power] ?? 'byte',
        unitDisplay: power === 0 ? 'long' : 'short',
      } as const
      return new Intl.NumberFormat(language, { ...style, maximumFractionDigits: 1 }).format(bytes / 1_000 ** power)
    },
    percent: (fraction) => new Intl.NumberFormat(language, { style: 'percent' }).format(fraction),
    time: (iso) =>
      iso == null
        ? '–'
        : new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso)),
    relative: (iso) => relative(language, new Date(iso).getTime() - Date.now()),
    duration: (seconds) => {
      const [unit, value] = inLargestUnit(seconds * 1_000)
      return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
    },
  }
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function relative(language: string, distanceMs: number): string {
  const [unit, value] = inLargestUnit(distanceMs)
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(value, unit)
}

function inLargestUnit(ms: number): readonly [(typeof STEPS)[number][0], number] {
  const [unit, lengthMs] = STEPS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  return [unit, Math.round(ms / lengthMs)]
}
