// Trait: a program that uses nothing of reprise: no gate is met.
// Label: helper
int main() { return 0; }
