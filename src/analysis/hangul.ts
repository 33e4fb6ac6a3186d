/** Particles behind a Korean word, such as the mark of the subject. Words of two syllables and fewer have none. */
const PARTICLES = [
  '은 는 이 가 을 를 의 에 로 와 과 도 만 나 란',
  '에서 으로 에게 한테 까지 부터 처럼 보다 이나 라는 이란 라고 이며 이고 에는 에도 와의 과의 로는 이다 하는 한다',
  '에서는 에서의 에서도 으로는 으로의 에게서 이라는 이라고 까지는 부터는',
].flatMap((particles) => particles.split(' '))
const PARTICLE = new RegExp(`(?<=..)(?:${PARTICLES.join('|')})$`)

/** Words that turn a Korean sentence into a question: what, where, when, who, which, how, how much, why. */
const ASKING = /^(?:무엇|뭐|어디|언제|누구|어느|무슨|어떤|어떻게|얼마|몇)|^(?:누가|왜)$/

/**
 * @param word a run of composed Hangul
 * @returns the number of its syllables without the particle at its end; at least two stay
 */
export function hangulStemLength(word: string): number {
  return word.length - (PARTICLE.exec(word)?.[0].length ?? 0)
}

/** True for a Korean word that only turns a sentence into a question. */
export function isHangulQuestionWord(word: string): boolean {
  return ASKING.test(word)
}
