import { Component, type ReactElement, type ReactNode } from 'react'
import { phrases, useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'

const TEXTS = phrases({
  en: {
    title: 'This page cannot be shown',
    text: 'The server does not answer, or has a newer version of the console. Load the page again. If that does not help, tell the operator what you did.',
    reload: 'Load the page again',
  },
  de: {
    title: 'Diese Seite lässt sich nicht anzeigen',
    text: 'Der Server antwortet nicht, oder er hat eine neuere Konsole. Lade die Seite neu. Wenn das nicht hilft, beschreibe dem Betreiber, was du getan hast.',
    reload: 'Seite neu laden',
  },
})

interface ErrorBoundaryProps {
  readonly children: ReactNode
}

/** Shows a sentence in place of a part that failed. Around a section, the navigation stays: give it the section as its `key`. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  override readonly state = { hasFailed: false }

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <FailedSection /> : this.props.children
  }
}

function FailedSection(): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <section className="empty" role="alert">
      <h1>{texts.title}</h1>
      <p>{texts.text}</p>
      <Button kind="primary" onPress={() => location.reload()}>
        {texts.reload}
      </Button>
    </section>
  )
}
