import { copyWords, useWords } from '../../i18n/words.ts'
import { Copy } from '../../ui/copy.tsx'

/** Whoever asks for help needs this. */
export const ReferenceField = ({ label, value }: { label: string; value: string }) => {
  const words = useWords()
  return (
    <div class="field">
      <div>
        <span class="soft">{label}</span>
        <b id="reference">{value}</b>
      </div>
      <Copy words={copyWords(words)} text={value} label={words.t('copyReference')} shows="reference" />
    </div>
  )
}
