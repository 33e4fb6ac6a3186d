import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyWords } from '../../../src/search/history-words.js'
import { promptParts, wholePart, withHistory } from '../../../src/search/prompt-parts.js'

const textsOf = (prompt: string): string[] => promptParts(prompt).map(({ text }) => text.trim())

describe('the parts of a prompt', () => {
  it.each([
    'How long is parental leave?',
    'parental leave',
    'Thanks! How long is parental leave?',
    'Question: How long is parental leave?',
    'Which group theory, e.g. rings, is used?',
    'Who wrote Guardians of the Galaxy Vol. 2 last year?',
    'When does J. Smith arrive at 12:30?',
    '',
  ])('are none for %j, which is one part', (prompt) => {
    expect(promptParts(prompt)).toEqual([])
  })

  it.each([
    ['Be brief and polite. How long is leave?', ['Be brief and polite.', 'How long is leave?']],
    ['Answer with the files:\nhow long is leave', ['Answer with the files:', 'how long is leave']],
    ['Sé breve y amable. ¿Cuánto dura el permiso?', ['Sé breve y amable.', '¿Cuánto dura el permiso?']],
    ['请简短回答。产假有多长？', ['请简短回答。', '产假有多长？']],
    ['He said "it is long enough." How long is leave?', ['He said "it is long enough."', 'How long is leave?']],
  ])('of %j end with sentences, colons and lines', (prompt, parts) => {
    expect(textsOf(prompt)).toEqual(parts)
  })

  it('know a question by its mark, in each script', () => {
    for (const question of [
      'How long is it?',
      'Πόσο διαρκεί η άδεια;',
      'كم مدة الإجازة؟',
      '产假有多长？',
      'Is it so?"',
    ]) {
      expect(wholePart(question).isQuestion, question).toBe(true)
    }
    for (const other of ['It is long.', 'first; second', 'who? nobody']) {
      expect(wholePart(other).isQuestion, other).toBe(false)
    }
  })

  it('are at most 24, of which the first, the last and the last questions stand alone', () => {
    const lines = Array.from({ length: 400 }, (_, at) => `Line number ${at} of the mail.`)
    lines[200] = 'Which pump leaks most?'
    const parts = textsOf(lines.join('\n'))
    expect(parts.length).toBeLessThanOrEqual(24)
    expect(parts[0]).toBe(lines[0])
    expect(parts.at(-1)).toBe(lines[399])
    expect(parts).toContain('Which pump leaks most?')
  })

  it('have the text of the prompt, whatever it is', () => {
    const piece = fc.constantFrom('leave', ' ', '. ', '? ', '\n', ': ', 'a.', '12', '产假', '。', '"', 'e.g. ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const prompt = pieces.join('')
        const parts = promptParts(prompt)
        expect(parts.length).toBeLessThanOrEqual(24)
        if (parts.length > 0) expect(parts.map(({ text }) => text).join('')).toBe(prompt)
        for (const { terms } of parts) expect(terms.size).toBeLessThanOrEqual(256)
      }),
    )
  })
})

describe('the words of a history', () => {
  it('are those of the last four messages of the user, with weights that fade', () => {
    const { terms } = historyWords([
      { role: 'user', content: 'forgotten' },
      { role: 'user', content: 'fourth' },
      { role: 'user', content: 'third' },
      { role: 'user', content: 'second' },
      { role: 'user', content: 'parental leave' },
      { role: 'assistant', content: 'answered' },
    ])
    expect([...terms.keys()].sort()).toEqual(['fourth', 'leave', 'parental', 'second', 'third'])
    expect(terms.get('second')).toBeCloseTo((terms.get('leave') ?? 0) / 2)
    expect(terms.get('third')).toBeCloseTo((terms.get('leave') ?? 0) / 4)
    expect(terms.get('leave')).toBeLessThan(1)
  })

  it('are at most 64 of however long messages', () => {
    const content = Array.from({ length: 9_000 }, (_, at) => `word${at}`).join(' ')
    expect(historyWords([{ role: 'user', content }]).terms.size).toBe(64)
    expect(historyWords([]).terms.size).toBe(0)
  })

  it('count the less, the better a prompt is covered without them', () => {
    const before = historyWords([{ role: 'user', content: 'parental leave' }])
    const part = wholePart('Who pays?')
    const weightAt = (coverage: number): number => withHistory(part, before, coverage).terms.get('parental') ?? 0
    expect(weightAt(0)).toBe(before.terms.get('parental'))
    expect(weightAt(0.5)).toBeCloseTo(weightAt(0) / 2)
    expect(weightAt(1)).toBe(0)
  })
  it('count together with similar ones, unless the prompt quotes them', () => {
    const before = historyWords([{ role: 'user', content: 'policies about lunch' }])
    const { similarTo } = withHistory(wholePart('"policies"'), before, 0)
    expect([...similarTo].sort()).toEqual(['about', 'lunch'])
  })
})
