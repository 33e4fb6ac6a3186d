import type { StarterPromptSubject, StarterPromptWriter } from '../../src/ports/index.js'

const MAX_CHARACTERS = 200

/** Writes starter prompts from templates, without a model. */
export class TemplateStarterPromptWriter implements StarterPromptWriter {
  async write(subject: StarterPromptSubject): Promise<readonly string[]> {
    const name = shorten(subject.name)
    const topic = shorten(subject.caption) || name
    const prompts = [
      `What can ${name} help me with?`,
      `Give me an overview of ${topic}.`,
      `Which questions about ${topic} are asked most often?`,
      `Which documents does ${name} know?`,
    ]
    return [...new Set(prompts)]
  }
}

/** Puts a text on one line, removes the punctuation at its end, and cuts it between words if it is too long. */
function shorten(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.!?]+$/, '')
  if (line.length <= MAX_CHARACTERS) return line
  const cut = line.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')
  const lastBlank = cut.lastIndexOf(' ')
  return `${lastBlank > MAX_CHARACTERS / 2 ? cut.slice(0, lastBlank) : cut}…`
}
