import { describe, expect, it } from 'vitest'
import { readPrompt } from '../../../src/search/read-prompt.js'

/** The longest prompt of a search, in UTF-16 units. */
const LONGEST = 32_768

const longest = (pattern: string, end = ''): string => {
  const room = LONGEST - end.length
  return pattern.repeat(Math.ceil(room / pattern.length)).slice(0, room) + end
}

const textsOf = (prompt: string): string[] => readPrompt({ prompt }).parts.map(({ text }) => text.trim())

/** The words that count together with similar ones in the whole prompt or in any part of it. */
function similarIn(prompt: string): string[] {
  const { whole, parts } = readPrompt({ prompt })
  return [...new Set([whole, ...parts].flatMap(({ similarTo }) => [...similarTo]))].sort()
}

describe('a prompt of 32,768 characters', () => {
  it.each([
    ['lines of one word', longest('ok\n')],
    ['full stops and spaces', longest('. ')],
    ['full stops before a letter', longest('.', 'x')],
    ['full stops and closing marks before a letter', `${longest('.').slice(LONGEST / 2)}${longest('"', 'x')}`],
    ['initials', longest('a. ')],
    ['full-width question marks before a letter', longest('？', 'x')],
    ['Arabic question marks before a letter', longest('؟', 'x')],
    ['Greek question marks before a letter', longest('΄;', 'x')],
    ['quotation marks that nothing closes', longest('«', '"a')],
    ['quotations of one letter', longest('„a“')],
    ['short lines', longest('a b\n')],
  ])('is read at once: %s', (_name, prompt) => {
    const start = performance.now()
    readPrompt({ prompt })
    // Each takes some 20 ms to 150 ms; it took up to minutes when the time grew with the square of the length.
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})

describe('a quotation in a prompt', () => {
  it.each([
    ['a sentence end', 'Find "policies of boards. Letters of owners" for me. Where is lunch served?'],
    ['a colon', 'Find “policies of boards: letters of owners” for me. Where is lunch served?'],
    ['a line break', 'Find «policies of boards\nletters of owners» for me. Where is lunch served?'],
  ])('stays together and exact across %s', (_name, prompt) => {
    expect(textsOf(prompt)).toEqual([prompt.slice(0, -'Where is lunch served?'.length - 1), 'Where is lunch served?'])
    expect(similarIn(prompt)).toEqual(['find', 'lunch', 'served'])
  })

  it('that is the whole prompt is cut, and exact', () => {
    const prompt = ' "Policies of boards matter. Letters of owners come later." '
    expect(textsOf(prompt)).toEqual(['"Policies of boards matter.', 'Letters of owners come later."'])
    expect(similarIn(prompt)).toEqual([])
  })

  it('of more than 1,000 characters is cut, and exact', () => {
    const quoted = (length: number): string => `"${'Policies of boards. '.repeat(length / 20)}"`
    expect(textsOf(`Explain this text: ${quoted(900)}`)).toHaveLength(2)
    const prompt = `Explain this text: ${quoted(2_000)}`
    expect(textsOf(prompt).length).toBeGreaterThan(10)
    expect(similarIn(prompt)).toEqual(['explain', 'text'])
  })

  it('ends a part that ends with it, and begins none without its other mark', () => {
    expect(textsOf('He wrote "be brief." How long is leave?')).toEqual(['He wrote "be brief."', 'How long is leave?'])
    expect(textsOf('A pipe of 5" leaks. Which pump fits?')).toEqual(['A pipe of 5" leaks.', 'Which pump fits?'])
  })
})
