import type { ComponentChildren } from 'preact'

interface ActionFormProps {
  /** Where the form goes without script. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** What happens instead with it, given what was typed. */
  readonly onAct: (typed: string) => void
  readonly class?: string
  readonly children: ComponentChildren
}

/** A form that works before and without script, and does not leave the page with it. The text field is named `typed`. */
export const ActionForm = ({ action, fields, onAct, class: name, children }: ActionFormProps) => (
  <form
    method="post"
    action={action}
    class={name}
    onSubmit={(event) => {
      event.preventDefault()
      const typed = new FormData(event.currentTarget).get('typed')
      onAct(typeof typed === 'string' ? typed.trim() : '')
    }}
  >
    {Object.entries(fields).map(([key, value]) => (
      <input type="hidden" name={key} value={value} />
    ))}
    {children}
  </form>
)
