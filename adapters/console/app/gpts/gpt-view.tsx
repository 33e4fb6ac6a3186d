import type { ReactElement } from 'react'
import { phrases, useTexts } from '../texts/phrases.js'
import { Note } from '../ui/notes.js'
import { readTools } from './tools/tool-draft.js'
import type { Gpt } from './use-gpts.js'

const TEXTS = phrases({
  en: {
    readOnly: 'You may look at this GPT, but not change it.',
    description: 'Instructions',
    prompts: 'Starter prompts',
    tools: 'Tools',
    none: 'None',
    agent: (id: number) => `Runs the agent ${id}.`,
  },
  de: {
    readOnly: 'Du darfst dieses GPT ansehen, aber nicht ändern.',
    description: 'Anweisungen',
    prompts: 'Startfragen',
    tools: 'Werkzeuge',
    none: 'Keine',
    agent: (id) => `Führt den Agenten ${id} aus.`,
  },
})

/** The texts of a context for somebody who may not change it. */
export function GptView({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
  const read = readTools(gpt.toolsJson)
  const tools = 'tools' in read ? read.tools : []
  return (
    <>
      <Note>{texts.readOnly}</Note>
      <section className="panel">
        <h2>{texts.description}</h2>
        <p className="gpts-text">{gpt.description === '' ? texts.none : gpt.description}</p>
        <h2>{texts.prompts}</h2>
        {gpt.starterPrompts.length === 0 && <p>{texts.none}</p>}
        <ol>
          {gpt.starterPrompts.map((prompt, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two prompts may be the same, and none moves.
            <li key={index} className="gpts-text">
              {prompt}
            </li>
          ))}
        </ol>
        <h2>{texts.tools}</h2>
        {tools.length === 0 && <p>{texts.none}</p>}
        <ul>
          {tools.map(({ key, name, description, agentId }) => (
            <li key={key} className="gpts-text">
              <code>{name}</code> {description} {texts.agent(agentId)}
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}
