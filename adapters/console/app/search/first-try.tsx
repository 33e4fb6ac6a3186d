import type { ReactElement } from 'react'
import { useTexts } from '../texts/phrases.js'
import { Button, ButtonLink } from '../ui/buttons.js'
import { EmptyState } from '../ui/notes.js'
import type { ChosenContext } from './question/use-contexts.js'
import { TEXTS } from './texts.js'

const MAX_STARTERS = 8

interface FirstTryProps {
  readonly chosen: readonly ChosenContext[]
  readonly onAsk: (prompt: string) => void
}

/** The page before the first question: starter prompts, or what is missing. */
export function FirstTry({ chosen, onAsk }: FirstTryProps): ReactElement {
  const texts = useTexts(TEXTS)
  const [first] = chosen
  if (first !== undefined && chosen.every(({ hasDocuments }) => !hasDocuments)) {
    const action = (
      <ButtonLink kind="primary" href={`/gpts/${first.id}/documents`}>
        {texts.upload}
      </ButtonLink>
    )
    return (
      <EmptyState title={texts.noDocuments} action={action}>
        {texts.noDocumentsText}
      </EmptyState>
    )
  }
  const starters = [...new Set(chosen.flatMap(({ context }) => context?.starterPrompts ?? []))].slice(0, MAX_STARTERS)
  return (
    <EmptyState title={texts.nothingAsked}>
      <p>{texts.nothingAskedText}</p>
      {starters.length > 0 && (
        <>
          <p>{texts.starters}</p>
          <div className="search-prompts">
            {starters.map((prompt) => (
              <Button key={prompt} onPress={() => onAsk(prompt)}>
                {prompt}
              </Button>
            ))}
          </div>
        </>
      )}
    </EmptyState>
  )
}
