import { describe, expect, it } from 'vitest'
import { openTokenizer } from '../../../../adapters/device/index.js'
import { WordTokenizer } from '../../../../adapters/memory/memory-embedding-model.js'
import { measureModelKnowledge } from '../../../../src/documents/index.js'
import type { TokenCounter, Tokenizer } from '../../../../src/ports/index.js'
import { bundledModel } from '../../../bundled-model.js'
import { leastProcessorMs } from '../../../least-processor-ms.js'

const english = await openTokenizer(bundledModel)

describe('the share of a question that the model knows', () => {
  it.each([
    'How many people lived in the capital in 1900?',
    'what chord progression is used in the chorus',
    'Who founded the Norman kingdom of Sicily?',
  ])('is 1 for the default model: %s', (question) => {
    expect(measureModelKnowledge(question, english)).toBe(1)
  })

  it.each([
    '¿Cuántas personas vivían en la capital en 1900?',
    'Wie viele Menschen lebten im Jahr 1900 in der Hauptstadt?',
    'Combien de personnes habitaient la capitale en 1900 ?',
  ])('is between 0 and 1 when the words are cut into pieces: %s', (question) => {
    const knowledge = measureModelKnowledge(question, english)
    expect(knowledge).toBeGreaterThan(0.1)
    expect(knowledge).toBeLessThan(0.9)
  })

  it.each([
    'Сколько людей жило в столице в 1900 году?',
    'Πόσοι άνθρωποι ζούσαν στην πρωτεύουσα το 1900;',
    'كم عدد الأشخاص الذين عاشوا في العاصمة عام 1900؟',
    'כמה אנשים גרו בבירה בשנת 1900?',
    '1900 में राजधानी में कितने लोग रहते थे?',
    'ในปี 1900 มีคนอาศัยอยู่ในเมืองหลวงกี่คน',
    '黑豹队的防守丢了多少分？',
    '1900년에 수도에 몇 명이 살았습니까?',
  ])('is close to 0 for a script that it does not know: %s', (question) => {
    expect(measureModelKnowledge(question, english)).toBeLessThan(0.15)
  })

  it('rises little with a name in Latin letters', () => {
    expect(measureModelKnowledge('Как долго действует гарантия на Lenovo ThinkPad?', english)).toBeLessThan(0.2)
    expect(measureModelKnowledge('การรับประกัน Lenovo ThinkPad นานเท่าไร', english)).toBeLessThan(0.2)
  })

  it('is 1 for any language whose words are tokens, such as Chinese with single characters', () => {
    for (const question of ['Сколько людей жило в столице?', '黑豹队的防守丢了多少分？', 'राजधानी में कितने लोग रहते थे'])
      expect(measureModelKnowledge(question, new WordTokenizer())).toBe(1)
    expect(measureModelKnowledge('黑豹队的防守丢了多少分？', byCharacters)).toBe(1)
  })

  it('is 0 for an alphabet that is cut into its letters, though no token is unknown', () => {
    expect(measureModelKnowledge('Сколько людей жило в столице?', byCharacters)).toBe(0)
  })

  it('is 1 for a question that gives no evidence, such as a number', () => {
    for (const question of ['', '   ', '4711', '???', 'x']) expect(measureModelKnowledge(question, english)).toBe(1)
  })

  it('is 0 for signs that the model does not know, in a question without words', () => {
    for (const question of ['🚀', '①', '👨‍👩‍👧']) expect(measureModelKnowledge(question, english)).toBe(0)
    expect(measureModelKnowledge('ｅ－４７１１', english)).toBeLessThan(0.5)
  })

  it('is 1 if the tokens can only be counted, because a counter shows nothing', () => {
    const counter: TokenCounter = {
      specialTokens: 2,
      split: (text) => english.split(text),
      count: (text) => english.count(text),
    }
    for (const question of ['Сколько людей жило в столице?', '🚀']) {
      expect(measureModelKnowledge(question, english)).toBeLessThan(0.3)
      expect(measureModelKnowledge(question, counter)).toBe(1)
    }
  })

  it('takes a few milliseconds for the longest prompt', () => {
    for (const text of ['黑豹队的防守丢了多少分', 'การรับประกันนานเท่าไร', 'How many people lived there ', '\u{1F600}']) {
      const prompt = `a${text.repeat(5_000)}`.slice(0, 32_768)
      const knowledge = measureModelKnowledge(prompt, english)
      expect(knowledge >= 0 && knowledge <= 1).toBe(true)
      expect(leastProcessorMs(() => measureModelKnowledge(prompt, english), 50)).toBeLessThan(50)
    }
  })
})

/** Imitates a model whose vocabulary is a list of characters. */
const byCharacters: Tokenizer = {
  specialTokens: 2,
  split: (text) => new WordTokenizer().split(text),
  encode: (text) => {
    const letters = [...text.matchAll(/\S/gu)]
    return {
      ids: Int32Array.from(letters, ([letter]) => letter.codePointAt(0) ?? 0),
      starts: Uint32Array.from(letters, ({ index }) => index),
      ends: Uint32Array.from(letters, ({ 0: letter, index }) => index + letter.length),
    }
  },
  readable: (text) => text,
  count: (text) => [...text.matchAll(/\S/gu)].length,
}
