"""The workspace: memory as files people read and edit."""
