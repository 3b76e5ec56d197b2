declare module 'subset-font' {
  interface Options {
    readonly targetFormat?: 'sfnt' | 'truetype' | 'woff' | 'woff2'
    readonly variationAxes?: Readonly<Record<string, number | { readonly min?: number; readonly max?: number; readonly default?: number }>>
  }
  export default function subsetFont(font: Buffer, text: string, options?: Options): Promise<Buffer>
}
