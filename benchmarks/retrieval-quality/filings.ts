import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SetDocument } from './retrieval-sets.js'

/** A question about a filing, with the pages that have the evidence of its answer. */
export interface FilingQuestion {
  readonly question: string
  /** File name of the filing. */
  readonly fileName: string
  /** From 1. */
  readonly pages: ReadonlySet<number>
}

interface Row {
  readonly question: string
  readonly doc_name: string
  readonly evidence: readonly { readonly doc_name: string; readonly evidence_page_num: number }[]
}

/** Reads FinanceBench (https://github.com/patronus-ai/financebench): questions about filings in `pdfs`. */
export async function readFilings(
  folder: string,
): Promise<{ readonly documents: readonly SetDocument[]; readonly questions: readonly FilingQuestion[] }> {
  const lines = (await readFile(join(folder, 'questions.jsonl'), 'utf8')).trim().split('\n')
  const rows = lines.map((line) => JSON.parse(line) as Row)
  const documents = new Map<string, SetDocument>()
  const questions: FilingQuestion[] = []
  for (const { question, doc_name: name, evidence } of rows) {
    const fileName = `${name}.pdf`
    const content = await readFile(join(folder, 'pdfs', fileName)).catch(() => undefined)
    if (content === undefined || evidence.some((each) => each.doc_name !== name)) continue
    documents.set(fileName, { key: fileName, fileName, content })
    // The set counts pages from 0.
    questions.push({ question, fileName, pages: new Set(evidence.map((each) => each.evidence_page_num + 1)) })
  }
  return { documents: [...documents.values()], questions }
}
