/**
 * Reads the scores of an answer: the list `results` of Jina, Cohere, vLLM and llama.cpp, the list `data` of Voyage, or
 * the bare list of text-embeddings-inference. The members of each are in the order of their scores.
 *
 * @returns the scores in the order of the texts; or what is wrong with the answer
 */
export function readScores(body: string, texts: number): readonly number[] | string {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    return 'answered with something other than JSON'
  }
  const { results, data } = (answer ?? {}) as { readonly results?: unknown; readonly data?: unknown }
  const list = [answer, results, data].find((one): one is readonly unknown[] => Array.isArray(one))
  if (list === undefined) return 'answered without a list of results'
  const scores: number[] = []
  for (const item of list) {
    const { index, relevance_score, score = relevance_score } = (item ?? {}) as Readonly<Record<string, unknown>>
    if (!isPlace(index, texts) || scores[index] !== undefined) {
      return 'answered with results whose "index" is missing, wrong or repeated'
    }
    if (typeof score !== 'number' || !Number.isFinite(score)) return 'answered with a score that is no number'
    scores[index] = score
  }
  return list.length === texts ? scores : `answered ${texts} texts with ${list.length} scores`
}

function isPlace(index: unknown, texts: number): index is number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < texts
}
