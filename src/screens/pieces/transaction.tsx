import { Address } from '../../ui/address.tsx'

/** A transaction's hash, which leads to an explorer if one has it. */
export const Transaction = ({ of: { hash, link } }: { of: { readonly hash: string; readonly link: string | undefined } }) =>
  link ? (
    <a class="plain" href={link} target="_blank" rel="noreferrer">
      <Address value={hash} hash />
    </a>
  ) : (
    <Address value={hash} hash />
  )
