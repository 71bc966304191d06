export const changeChannel = 'edictum_changes'
