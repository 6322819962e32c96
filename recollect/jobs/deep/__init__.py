"""What a memory does at night when it has a model: reflecting, inferring, and finding what may be one."""
