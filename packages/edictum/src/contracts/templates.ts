// Bundles to start from: the ones that ship with the package, and those of the user's own folders.
import { builtInTemplateFolder, joinPath, listFolder } from '../internal/platform.js'
import { EdictumConfigError } from './config-error.js'
import { quoted } from './diagnostic.js'

export interface TemplateInfo {
  readonly name: string
  readonly path: string
  readonly builtin: boolean
}

const ending = '.yaml'
/** Test cases live beside their template and are not templates. */
const casesEnding = '.cases.yaml'

/** User folders first, in the order given; a name found before hides later ones. Folders that do not exist are skipped. */
export function listTemplates(templateDirs: readonly string[] = []): readonly TemplateInfo[] {
  const found = new Map<string, TemplateInfo>()
  const collect = (folder: string, builtin: boolean) => {
    for (const file of listFolder(folder) ?? []) {
      if (!file.endsWith(ending) || file.endsWith(casesEnding)) continue
      const name = file.slice(0, -ending.length)
      if (!found.has(name)) found.set(name, { name, path: joinPath(folder, file), builtin })
    }
  }
  for (const folder of templateDirs) collect(folder, false)
  collect(builtInTemplateFolder(), true)
  return [...found.values()]
}

/** @throws EdictumConfigError naming the templates there are. */
export function findTemplate(name: string, templateDirs: readonly string[] = []): string {
  const templates = listTemplates(templateDirs)
  // Only names of listed files are accepted, so a name can never reach outside the folders.
  const template = templates.find((candidate) => candidate.name === name)
  if (template !== undefined) return template.path
  const names = templates.map((candidate) => candidate.name).toSorted()
  throw EdictumConfigError.of(
    'template-not-found',
    `no template ${quoted(name)}`,
    `there are: ${names.join(', ')}`,
  )
}
