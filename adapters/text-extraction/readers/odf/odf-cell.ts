import type { Attributes } from '../docx/docx-xml.js'
import { generalNumber } from '../office/number-texts.js'

/** The types of cells whose values are numbers, or count as numbers. */
const NUMBERS = new Set(['float', 'percentage', 'currency', 'date', 'time'])

/** True for a cell with a number, a date or a time. */
export function isNumberCell(attribute: Attributes): boolean {
  return NUMBERS.has(attribute('value-type') ?? '')
}

/** The value of a cell without a text: programs that make files often leave the text out. */
export function cellValue(attribute: Attributes): string {
  const type = attribute('value-type')
  if (type === 'date') return (attribute('date-value') ?? '').replace(/T00:00:00(?:\.0+)?$/, '').replace('T', ' ')
  if (type === 'time') return timeText(attribute('time-value') ?? '')
  if (type === 'boolean') return (attribute('boolean-value') ?? '').toUpperCase()
  if (type === 'string') return attribute('string-value') ?? ''
  const value = attribute('value') ?? ''
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) return value
  if (type === 'percentage') return `${generalNumber(number * 100)}%`
  return generalNumber(number)
}

/** A time such as `PT09H30M00S` as `09:30:00`. */
function timeText(value: string): string {
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value) ?? []
  return hours === undefined ? value : `${hours}:${minutes}:${seconds}`
}
