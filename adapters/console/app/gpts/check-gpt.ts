import { phrases, useTexts } from '../texts/phrases.js'
import { FIELD_TEXTS } from '../ui/form/use-field-problem.js'
import type { GptDraft } from './edit/gpt-draft.js'
import { PARAMETER_TYPES, readTools, type ToolsProblem, toToolsJson } from './tools/tool-draft.js'

/** Sentences by field. Fields have the names of the server, such as `toolsJson[0].parameters[1].paramName`. */
export type FieldErrors = Readonly<Record<string, string>>

const TEXTS = phrases({
  en: {
    missing: FIELD_TEXTS.en.missing,
    tooLong: (max: string) => `Shorten this: it may have ${max} characters at most.`,
    tooManyPrompts: (max: number) => `Remove some: there may be ${max} at most.`,
    tooLarge: 'All tools together may have 1 MB at most. Shorten descriptions or remove tools.',
    functionName: 'Use letters a to z, digits and underscores, 64 at most, and no digit first: for example book_room.',
    sameName: 'Another tool has this name. Each needs its own.',
    sameId: 'Another tool has this number. Each needs its own.',
    sameParameter: 'Another parameter of this tool has this name. Each needs its own.',
    integer: 'Enter a whole number.',
    place: (path: string) => (path === '' ? 'The JSON' : `The JSON at ${path}`),
    problems: {
      json: 'cannot be read. Check commas, quotes and brackets.',
      array: 'must be a list in square brackets.',
      object: 'must be an object in braces.',
      text: 'must be a text in quotes.',
      integer: 'must be a whole number.',
      boolean: 'must be true or false.',
      type: `must be one of ${PARAMETER_TYPES.join(', ')}.`,
      action: 'must be "Run Agent".',
    },
  },
  de: {
    missing: FIELD_TEXTS.de.missing,
    tooLong: (max) => `Kürze das: Höchstens ${max} Zeichen sind erlaubt.`,
    tooManyPrompts: (max) => `Entferne einige: Höchstens ${max} sind erlaubt.`,
    tooLarge: 'Alle Werkzeuge zusammen dürfen höchstens 1 MB haben. Kürze Beschreibungen oder entferne Werkzeuge.',
    functionName:
      'Nimm Buchstaben von a bis z, Ziffern und Unterstriche, höchstens 64, vorn keine Ziffer: zum Beispiel book_room.',
    sameName: 'Ein anderes Werkzeug heißt schon so. Jedes braucht einen eigenen Namen.',
    sameId: 'Ein anderes Werkzeug hat schon diese Nummer. Jedes braucht eine eigene.',
    sameParameter: 'Ein anderer Parameter dieses Werkzeugs heißt schon so. Jeder braucht einen eigenen Namen.',
    integer: 'Gib eine ganze Zahl ein.',
    place: (path) => (path === '' ? 'Das JSON' : `Das JSON bei ${path}`),
    problems: {
      json: 'ist nicht lesbar. Prüfe Kommas, Anführungszeichen und Klammern.',
      array: 'muss eine Liste in eckigen Klammern sein.',
      object: 'muss ein Objekt in geschweiften Klammern sein.',
      text: 'muss ein Text in Anführungszeichen sein.',
      integer: 'muss eine ganze Zahl sein.',
      boolean: 'muss true oder false sein.',
      type: `muss eines von ${PARAMETER_TYPES.join(', ')} sein.`,
      action: 'muss „Run Agent“ sein.',
    },
  },
})

const MAX_NAME = 255
const MAX_CAPTION = 1_000
const MAX_DESCRIPTION = 100_000
const MAX_PROMPT = 1_000
export const MAX_PROMPTS = 50
const MAX_TOOLS_BYTES = 1_048_576
const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** A function that says what is wrong with JSON of tools. */
export function useProblemText(): (problem: ToolsProblem) => string {
  const { place, problems } = useTexts(TEXTS)
  return ({ path, kind }) => `${place(path)} ${problems[kind]}`
}

/** A function that checks a draft by the rules of the server, and says what is wrong in the language of the user. */
export function useCheckGpt(number: (value: number) => string): (draft: GptDraft) => FieldErrors {
  const texts = useTexts(TEXTS)
  const problemText = useProblemText()
  return (draft) => {
    const errors: Record<string, string> = {}
    const limit = (field: string, text: string, max: number): void => {
      if (Array.from(text).length > max) errors[field] = texts.tooLong(number(max))
    }
    const require = (field: string, text: string): void => {
      if (text.trim() === '') errors[field] = texts.missing
    }
    limit('name', draft.name, MAX_NAME)
    require('name', draft.name)
    limit('caption', draft.caption, MAX_CAPTION)
    limit('description', draft.description, MAX_DESCRIPTION)
    if (draft.prompts.length > MAX_PROMPTS) errors['starterPrompts'] = texts.tooManyPrompts(MAX_PROMPTS)
    draft.prompts.forEach(({ text }, index) => {
      limit(`starterPrompts[${index}]`, text, MAX_PROMPT)
      require(`starterPrompts[${index}]`, text)
    })
    if (draft.brokenToolsJson === undefined) checkTools(draft, errors, texts)
    else {
      const read = readTools(draft.brokenToolsJson)
      if ('problem' in read) errors['toolsJson'] = problemText(read.problem)
    }
    return errors
  }
}

function checkTools({ tools }: GptDraft, errors: Record<string, string>, texts: (typeof TEXTS)['en']): void {
  if (new TextEncoder().encode(toToolsJson(tools)).length > MAX_TOOLS_BYTES) errors['toolsJson'] = texts.tooLarge
  tools.forEach(({ id, name, agentId, parameters }, index) => {
    const path = `toolsJson[${index}]`
    const earlier = tools.slice(0, index)
    if (!Number.isSafeInteger(id)) errors[`${path}.id`] = texts.integer
    else if (earlier.some((tool) => tool.id === id)) errors[`${path}.id`] = texts.sameId
    if (!FUNCTION_NAME.test(name)) errors[`${path}.name`] = name === '' ? texts.missing : texts.functionName
    else if (earlier.some((tool) => tool.name === name)) errors[`${path}.name`] = texts.sameName
    if (!Number.isSafeInteger(agentId)) errors[`${path}.agentId`] = texts.integer
    parameters.forEach(({ paramName }, place) => {
      const field = `${path}.parameters[${place}].paramName`
      if (paramName.trim() === '') errors[field] = texts.missing
      else if (parameters.slice(0, place).some((other) => other.paramName === paramName))
        errors[field] = texts.sameParameter
    })
  })
}
